package org
package acme
class Lines { new org.text.Lines().env() }