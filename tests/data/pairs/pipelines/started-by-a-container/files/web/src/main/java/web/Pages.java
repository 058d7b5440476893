package web;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;
@Component public class Pages { int n = 2; }
