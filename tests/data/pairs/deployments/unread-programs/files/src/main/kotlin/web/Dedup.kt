package web
class Dedup { val n = 1 }
