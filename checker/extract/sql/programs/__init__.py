"""The Table API inside of programs: which calls of it both language readers record, and what each is for.

In: calls with arguments that are known, in part or not at all. Out: ``TableProgram`` records, and the same as the
planner's process takes them. Called by the Java and the PyFlink reader and by ``workflows.planning_programs``.
"""
