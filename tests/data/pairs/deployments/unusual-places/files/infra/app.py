from aws_cdk import Stack, aws_kinesisanalytics as flink
flink.CfnApplication(self, "app", runtime_environment="FLINK-1_20", application_configuration={
    "application_code_configuration": {"code_content": {"s3_content_location": {"file_key": "jobs-1.0.jar"}}},
    "flink_application_configuration": {
        "parallelism_configuration": {"configuration_type": "CUSTOM", "parallelism": 2}}})
