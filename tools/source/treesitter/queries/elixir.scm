(comment) @comment
(unary_operator operator: "@" operand: (call target: (identifier))) @attribute

(call target: (identifier) (arguments . (alias) @name) (do_block) @body) @module

(unary_operator operator: "@" operand: (call target: (identifier) @name (arguments . (_)))) @constant
(unary_operator operator: "@" operand: (call target: (identifier) (arguments . (binary_operator left: (identifier) @name operator: "::")))) @typeAlias
(unary_operator operator: "@" operand: (call target: (identifier) (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::")))) @typeAlias

(call target: (identifier) (arguments . (unary_operator operator: _ @name)) (do_block)? @body) @function
(call target: (identifier) (arguments . (binary_operator operator: _ @name)) (do_block)? @body) @function
(call target: (identifier) (arguments . (binary_operator left: (unary_operator operator: _ @name) operator: "when")) (do_block)? @body) @function
(call target: (identifier) (arguments . (binary_operator left: (binary_operator operator: _ @name) operator: "when")) (do_block)? @body) @function
(call target: (identifier) (arguments . (identifier) @name)) @function
(call target: (identifier) (arguments . (call target: (identifier) @name))) @function
(call target: (identifier) (arguments . (identifier) @name) (do_block) @body) @function
(call target: (identifier) (arguments . (call target: (identifier) @name)) (do_block) @body) @function
(call target: (identifier) (arguments . (binary_operator left: (identifier) @name operator: "when")) (do_block)? @body) @function
(call target: (identifier) (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when")) (do_block)? @body) @function
(call target: (identifier) (arguments . (string (quoted_content) @name)) (do_block) @body) @function

(call target: (identifier) @require (arguments . (alias) @import))

(call target: (identifier) @call)
(call target: (dot right: (identifier) @call))
