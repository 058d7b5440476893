package app;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;
@Configuration
public class Topics { @Bean String topic() { return "orders"; } }
