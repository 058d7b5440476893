"""The Table API inside of programs: which calls of it both language readers record, and what each is for."""
