package org.web
class Words { def env() = 1 }
