package outbox.boot.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** A method of a bean, called through the bean's proxy if it has one. */
final class BeanMethod {

    private final Supplier<Object> bean;
    private final Method method;

    /**
     * @param bean finds the bean; asked at each call, because it may be lazy or have a scope
     * @param beanClass the class of what is found, perhaps a proxy's
     */
    BeanMethod(Said said, Supplier<Object> bean, Class<?> beanClass, Method declared) {
        this.bean = bean;
        this.method = invocable(said, beanClass, declared);
        ReflectionUtils.makeAccessible(method);
    }

    private static Method invocable(Said said, Class<?> beanClass, Method declared) {
        if (beanClass.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR)
                && Modifier.isFinal(declared.getModifiers())) {
            throw said.invalid("the bean is a proxy, which cannot pass on calls of a final method", "leave out final");
        }
        try {
            return AopUtils.selectInvocableMethod(declared, beanClass);
        } catch (IllegalStateException e) {
            throw said.invalid(
                    "the bean is a proxy, which does not have this method",
                    "make it visible and not private, and declare it in the interface if the proxy is one of interfaces");
        }
    }

    /** Calls it, and throws what it throws. */
    @Nullable
    Object call(@Nullable Object... arguments) throws Exception {
        try {
            return method.invoke(bean.get(), arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getTargetException();
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw new UndeclaredThrowableException(thrown);
        }
    }
}
