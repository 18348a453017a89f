package similar_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/search/similar"
)

func ExampleCompare() {
	const pasted = `for i, n := range numbers {
	if skip[i] { continue }
	total += n
}`
	const found = `func Sum(values []float64) (sum float64) {
	// Keys in left are skipped.
	for k, v := range values {
		if left[k] {
			continue
		}
		sum += v
	}
	return sum
}`
	score, where := similar.Compare([]byte(pasted), []byte(found), "go")
	fmt.Printf("%.2f\n%s\n", score, found[where.Start:where.End])
	// Output:
	// 0.96
	// for k, v := range values {
	// 		if left[k] {
	// 			continue
	// 		}
	// 		sum += v
	// 	}
}
