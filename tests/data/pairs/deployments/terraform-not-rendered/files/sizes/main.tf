variable "slots" {
  default = 4
}
