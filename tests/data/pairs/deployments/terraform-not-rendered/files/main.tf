module "sizes" {
  source = "./sizes"
}
module "flink" {
  source = "./modules/flink"
  slots = module.sizes.slots
}
