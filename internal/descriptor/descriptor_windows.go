package descriptor

// markOpenFiles does nothing: a new process gets the files that it is given.
func markOpenFiles(string) {}
