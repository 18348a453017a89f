package config

import "strings"

// HandedOn is the value of a variable that a client was told to hand on. One that it
// does not have itself may arrive as the words that told it, "${env:NAME}": that is
// none.
func HandedOn(environ []string, name string) string {
	value := Lookup(environ, name)
	if strings.HasPrefix(value, "${") {
		return ""
	}
	return value
}

// Lookup is the value of a variable of an environment, as os.Environ has them;
// empty if there is none.
func Lookup(environ []string, name string) string {
	for _, v := range environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
