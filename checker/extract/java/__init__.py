"""Reading Java pipelines from source, executing nothing."""
