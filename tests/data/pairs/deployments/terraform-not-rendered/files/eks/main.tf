variable "nodes" {
  default = 4
}
