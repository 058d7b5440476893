"""What a Java program computes with: values, variables, memory, choices and Java's operators.

In: nothing but values. Out: values, and the effects of a step that can be taken back or merged with those of another.

Knows no statement, no library and no call of Flink. Called by the interpreter, the library models and Flink's API.
"""
