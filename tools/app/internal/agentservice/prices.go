package agentservice

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/agents"
)

// parsePrices parses prices of models, in US dollars for a million tokens: MODEL=INPUT/OUTPUT or
// MODEL=INPUT/OUTPUT/CACHE-READ/CACHE-WRITE.
func parsePrices(texts []string) (map[string]agents.Price, error) {
	prices := make(map[string]agents.Price)
	for _, text := range texts {
		model, list, ok := strings.Cut(text, "=")
		numbers := strings.Split(list, "/")
		if model = strings.TrimSpace(model); !ok || model == "" || len(numbers) != 2 && len(numbers) != 4 {
			return nil, fmt.Errorf("agent.prices: %q is not MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/CACHE-READ/CACHE-WRITE", text)
		}
		var price [4]float64
		for i, number := range numbers {
			dollars, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(dollars >= 0 && dollars < 1e6) {
				return nil, fmt.Errorf("agent.prices: %q has %q, which is not a price in dollars for a million tokens", text, number)
			}
			price[i] = dollars
		}
		prices[model] = agents.Price{Input: price[0], Output: price[1], CacheRead: price[2], CacheWrite: price[3]}
	}
	return prices, nil
}
