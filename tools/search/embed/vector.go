package embed

import (
	"encoding/binary"
	"math"
)

// A vector is kept as one byte a dimension: a number from −63 to 63, plus 64. With
// seven bits four products of two numbers can be had, and added, with one
// multiplication of 64 bits: see dot. What is lost is less than 0.005 of a score.
const (
	reach  = 63
	offset = 64
)

// quantize writes the numbers of a vector, and answers with their sum and what they
// are multiplied by to make a vector of length 1: 0 for one of length 0.
func quantize(dst []byte, v []float32) (sum int32, scale float32) {
	var square, most float64
	for _, x := range v {
		square += float64(x) * float64(x)
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(square, 0) || math.IsNaN(square) {
		for i := range dst {
			dst[i] = offset
		}
		return 0, 0
	}
	times := reach / most
	for i, x := range v {
		n := int32(math.RoundToEven(float64(x) * times))
		dst[i] = byte(n + offset)
		sum += n
	}
	return sum, float32(most / reach / math.Sqrt(square))
}

// sumOf is the sum of the numbers of a vector.
func sumOf(numbers []byte) (sum int32) {
	for _, x := range numbers {
		sum += int32(x) - offset
	}
	return sum
}

// lanes are four numbers in the 16 bits of each quarter.
const lanes = 0x00FF00FF00FF00FF

// spread prepares a vector, of a length that is a multiple of 8, for dot: of each
// eight numbers those at even places, and those at odd places, in reverse.
func spread(numbers []byte) []uint64 {
	words := make([]uint64, 0, len(numbers)/4)
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		for odd := range 2 {
			var word uint64
			for i := odd; i < 8; i += 2 {
				word = word<<16 | uint64(numbers[i])
			}
			words = append(words, word)
		}
	}
	return words
}

// dot adds the products of the bytes of two vectors, of which the first is spread.
// The highest quarter of a product of two words is the sum of the products of what
// stands in opposite quarters, and nothing below it is so large that it reaches it.
func dot(a []uint64, b []byte) (sum uint64) {
	for len(b) >= 16 && len(a) >= 4 {
		x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:16])
		sum += (x&lanes*a[0])>>48 + (x>>8&lanes*a[1])>>48 + (y&lanes*a[2])>>48 + (y>>8&lanes*a[3])>>48
		a, b = a[4:], b[16:]
	}
	return sum
}

// padded is a number of dimensions that dot takes.
func padded(dimensions int) int { return (dimensions + 15) &^ 15 }
