(comment) @comment
(decorator) @attribute
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @require arguments: (arguments . (string) @import))
(call_expression function: (import) arguments: (arguments . (string) @import))
(import_require_clause source: (string) @import)

(export_statement declaration: (_) @inner) @outer
(ambient_declaration (_) @inner) @outer
(expression_statement (internal_module) @inner) @outer
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
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(function_signature name: (identifier) @name) @function
(class name: (_) @name body: (_) @body) @class
(function_expression name: (identifier) @name body: (_) @body) @function

(public_field_definition name: (_) @name) @property
(public_field_definition name: (_) @name value: [
    (arrow_function "=>" @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (parenthesized_expression (arrow_function "=>" @body))
    (parenthesized_expression (function_expression body: (_) @body))
  ]) @lambda
(class_body (method_signature name: (_) @name) @method)
(class_body (method_signature ["get" "set"] name: (_) @name) @accessor)
(abstract_method_signature name: (_) @name) @method
(abstract_method_signature ["get" "set"] name: (_) @name) @accessor
(interface_body (method_signature name: (_) @name) @method)
(interface_body (method_signature ["get" "set"] name: (_) @name) @accessor)
(interface_body (property_signature name: (_) @name) @property)
(type_alias_declaration value: (object_type (method_signature name: (_) @name) @method))
(type_alias_declaration value: (object_type (method_signature ["get" "set"] name: (_) @name) @accessor))
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @property))
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @property
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @property
(required_parameter "readonly" pattern: (identifier) @name) @property
(optional_parameter "readonly" pattern: (identifier) @name) @property
(method_definition name: (_) @name body: (_) @body) @function
(method_definition ["get" "set"] name: (_) @name body: (_) @body) @accessor

(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name) @typeAlias
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_body name: (_) @enumCase @name)
(enum_assignment name: (_) @name) @enumCase
(module name: (_) @name body: (_)? @body) @module
(internal_module name: (_) @name body: (_)? @body) @module
(ambient_declaration "global" @name (statement_block) @body) @module

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

(call_expression function: [(identifier) @call (non_null_expression (identifier) @call) (non_null_expression (member_expression property: (_) @call)) (member_expression property: (_) @call)])
(new_expression constructor: [(identifier) @call (member_expression property: (_) @call)])
