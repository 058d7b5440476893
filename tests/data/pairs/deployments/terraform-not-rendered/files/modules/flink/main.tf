variable "slots" {
  default = 4
}
resource "aws_kinesisanalyticsv2_application" "this" {
  runtime_environment = "FLINK-1_20"
}
