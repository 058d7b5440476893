"""The code that a PyFlink script can reach, declaration by declaration, with what the interpreter followed of it."""
