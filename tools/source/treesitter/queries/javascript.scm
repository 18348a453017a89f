(comment) @comment
(decorator) @attribute
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @require arguments: (arguments . (string) @import))
(call_expression function: (import) arguments: (arguments . (string) @import))

(export_statement declaration: (_) @inner) @outer
(lexical_declaration (variable_declarator) @inner) @outer
(variable_declaration (variable_declarator) @inner) @outer

(lexical_declaration kind: "let" (variable_declarator name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)
    ])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])
  ]) @variable)
(lexical_declaration kind: "const" (variable_declarator name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)
    ])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])
  ]) @constant)
(variable_declaration (variable_declarator name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)
    ])
    (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])
  ]) @variable)
(variable_declarator name: (identifier) @name value: [
    (arrow_function "=>" @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (parenthesized_expression (arrow_function "=>" @body))
    (parenthesized_expression (function_expression body: (_) @body))
  ]) @lambda
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class

[
  (function_declaration name: (identifier) @name body: (_) @body)
  (generator_function_declaration name: (identifier) @name body: (_) @body)
] @function
(class_declaration name: (_) @name body: (_) @body) @class
(class name: (_) @name body: (_) @body) @class
(function_expression name: (identifier) @name body: (_) @body) @function

(field_definition property: (_) @name) @property
(field_definition property: (_) @name value: [
    (arrow_function "=>" @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (parenthesized_expression (arrow_function "=>" @body))
    (parenthesized_expression (function_expression body: (_) @body))
  ]) @lambda
(method_definition name: (_) @name body: (_) @body) @function
(method_definition ["get" "set"] name: (_) @name body: (_) @body) @accessor

(pair key: (_) @name value: [
    (arrow_function "=>" @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (parenthesized_expression (arrow_function "=>" @body))
    (parenthesized_expression (function_expression body: (_) @body))
  ]) @lambda

(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression object: (_) @container property: (_) @name)]
  right: [
    (arrow_function "=>" @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (parenthesized_expression (arrow_function "=>" @body))
    (parenthesized_expression (function_expression body: (_) @body))
  ]) @lambda) @outer
(object) @anonymous

[
  (arrow_function) (function_expression) (generator_function) (class_static_block)
  (for_statement) (for_in_statement)
] @local
(program [(if_statement) (while_statement) (do_statement) (try_statement) (switch_statement) (statement_block)] @local)

(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: [(identifier) @call (member_expression property: (_) @call)])
