package outbox.samples.spring;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Says what was wrong with a request: which field, which rule, which value. */
@RestControllerAdvice
class ApiErrors {

    /** The body of an answer with status 400. */
    record ApiError(String field, String rule, String value) {}

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ApiError invalid(InvalidInputException e) {
        return new ApiError(e.field(), e.rule(), e.value());
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ApiError mistyped(MethodArgumentTypeMismatchException e) {
        return new ApiError(e.getName(), "must be a number", String.valueOf(e.getValue()));
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ApiError unreadable(HttpMessageNotReadableException e) {
        if (e.getCause() instanceof UnrecognizedPropertyException unknown) {
            return new ApiError(unknown.getPropertyName(), "must be one of [customer, amount]", "an unknown field");
        }
        if (e.getCause() instanceof MismatchedInputException mismatch
                && !mismatch.getPath().isEmpty()) {
            return new ApiError(nameOf(mismatch.getPath()), ruleOf(mismatch), valueOf(mismatch));
        }
        return new ApiError("body", "must be a JSON object with customer and amount", "something else");
    }

    private static String ruleOf(MismatchedInputException mismatch) {
        return Number.class.isAssignableFrom(mismatch.getTargetType()) ? "must be a number" : "must be a text";
    }

    private static String valueOf(MismatchedInputException mismatch) {
        return mismatch instanceof InvalidFormatException format ? String.valueOf(format.getValue()) : "something else";
    }

    private static String nameOf(List<JsonMappingException.Reference> path) {
        return path.stream()
                .map(reference -> String.valueOf(reference.getFieldName()))
                .collect(Collectors.joining("."));
    }
}
