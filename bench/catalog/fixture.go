package catalog

// What servers serve beside their tools when they are a fixture for tests of
// clients. No workload asks for it.
const (
	AboutURI  = "bench://about"
	AboutName = "about"
	AboutType = "text/plain"
	AboutText = "A server for measurements and for tests of clients.\n"

	PromptName        = "introduce"
	PromptDescription = "Asks for an introduction of somebody."
	PromptArgument    = "name"
	PromptWho         = "Who to introduce"
)

// Introduce is the text of the prompt.
func Introduce(name string) string { return "Please introduce " + name + " in one sentence." }
