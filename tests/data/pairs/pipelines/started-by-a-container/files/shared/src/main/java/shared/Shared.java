package shared;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;
@Component public class Shared { int n = 2; }
