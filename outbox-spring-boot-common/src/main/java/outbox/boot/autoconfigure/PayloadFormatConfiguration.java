package outbox.boot.autoconfigure;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.boot.PayloadFormat;
import tools.jackson.databind.json.JsonMapper;

/** The application's own Jackson: 3 if it has a mapper of that, else 2. */
final class PayloadFormatConfiguration {

    private PayloadFormatConfiguration() {}

    /** Jackson 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnBean(JsonMapper.class)
    static class WithJackson3 {

        @Bean
        @ConditionalOnMissingBean(PayloadFormat.class)
        PayloadFormat outboxPayloadFormat(JsonMapper mapper) {
            return new Jackson3PayloadFormat(mapper);
        }
    }

    /** Jackson 2. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObjectMapper.class)
    @ConditionalOnBean(ObjectMapper.class)
    static class WithJackson2 {

        @Bean
        @ConditionalOnMissingBean(PayloadFormat.class)
        PayloadFormat outboxPayloadFormat(ObjectMapper mapper) {
            return new Jackson2PayloadFormat(mapper);
        }
    }

    /** Neither: who needs none may go on, and who does is told. */
    @Configuration(proxyBeanMethods = false)
    static class WithoutJackson {

        @Bean
        @ConditionalOnMissingBean(PayloadFormat.class)
        PayloadFormat outboxPayloadFormat() {
            return new NoPayloadFormat();
        }
    }
}
