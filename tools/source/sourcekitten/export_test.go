package sourcekitten

// Structure is what reads the answers of the program.
var Structure = structure
