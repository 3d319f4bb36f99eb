package outbox.samples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the demo on 127.0.0.1:8080; see the README for what to ask it. */
@SpringBootApplication
public class OutboxSpringDemo {

    /** Starts the application. */
    public static void main(String[] args) {
        SpringApplication.run(OutboxSpringDemo.class, args);
    }
}
