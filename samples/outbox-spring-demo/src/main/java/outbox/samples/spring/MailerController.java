package outbox.samples.spring;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Fixes the mailer's bug, or brings it back. */
@RestController
@RequestMapping("/mailer")
class MailerController {

    /** The state of the mailer. */
    record MailerState(boolean fixed) {}

    private final ConfirmationMailer mailer;

    MailerController(ConfirmationMailer mailer) {
        this.mailer = mailer;
    }

    @PostMapping("/fix")
    MailerState fix() {
        mailer.setFixed(true);
        return new MailerState(mailer.isFixed());
    }

    @PostMapping("/break")
    MailerState breakAgain() {
        mailer.setFixed(false);
        return new MailerState(mailer.isFixed());
    }
}
