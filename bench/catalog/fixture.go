package catalog

// Further features of servers that are used as fixtures by tests of clients. No workload uses them.
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

// Introduce returns the text of the prompt.
func Introduce(name string) string { return "Please introduce " + name + " in one sentence." }
