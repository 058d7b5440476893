package org.text
class Lines { def env() = 1 }
