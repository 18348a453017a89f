package serverinstall

// WithFiles returns a recipe with another lock file or requirements file.
func WithFiles(r Recipe, files string) Recipe {
	r.files = []byte(files)
	return r
}

// WithSum returns a recipe with the hash of a module.
func WithSum(r Recipe, sum string) Recipe {
	r.sum = sum
	return r
}

// EmbeddedLock returns the lock file of a recipe.
func EmbeddedLock(r Recipe) ([]byte, error) { return locks.ReadFile("npm/" + r.Name + ".json") }

// EmbeddedRequirements returns the requirements file of a recipe.
func EmbeddedRequirements(r Recipe) ([]byte, error) {
	return requirements.ReadFile("pip/" + r.Name + ".txt")
}

// Sum returns the hash of the module of a recipe.
func Sum(r Recipe) string { return r.sum }

// GemScript makes the script of a gem.
func GemScript(goos, ruby, program, path string) string { return gemScript(goos, ruby, program, path) }

// KeepsFormer reports whether an installation keeps the version before it.
const KeepsFormer = keepsFormer
