package catalog

// The small tool: the most common size of a call, with every kind of argument.
const (
	SmallName        = "small"
	SmallDescription = "Greets a person and counts what was asked for."
)

// GreetArgs are the arguments of the small tool.
type GreetArgs struct {
	Name  string       `json:"name" jsonschema:"Who to greet"`
	Count int          `json:"count" jsonschema:"How many greetings are wanted"`
	Tags  []string     `json:"tags" jsonschema:"Labels that the answer repeats"`
	Opt   GreetOptions `json:"opt" jsonschema:"Finer settings"`
}

// GreetOptions is the object inside GreetArgs.
type GreetOptions struct {
	Deep bool    `json:"deep" jsonschema:"Whether the tags are counted too"`
	F    float64 `json:"f" jsonschema:"A weight that the answer leaves alone"`
}

// Greeting is the result of the small tool.
type Greeting struct {
	Greeting string   `json:"greeting" jsonschema:"The words of the greeting"`
	Total    int      `json:"total" jsonschema:"The count, with the tags when they were counted too"`
	Tags     []string `json:"tags" jsonschema:"The labels of the call"`
}

// Greet returns the result of the small tool.
func Greet(a GreetArgs) Greeting {
	total := a.Count
	if a.Opt.Deep {
		total += len(a.Tags)
	}
	return Greeting{Greeting: "Hello, " + a.Name, Total: total, Tags: a.Tags}
}
