(comment) @comment
(package_clause (package_identifier) @name) @module
(import_spec path: (_) @import)

(function_declaration name: (identifier) @name) @function
(function_declaration name: (identifier) @name body: (block) @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (pointer_type (type_identifier) @container)
    (generic_type type: (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))
  ]))
  name: (field_identifier) @name
  body: (block)? @body) @method

(type_alias name: (type_identifier) @name) @typeAlias
(type_spec name: (type_identifier) @name) @typeAlias
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @interface

(type_spec type: (struct_type (field_declaration_list (field_declaration type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (qualified_type name: (type_identifier) @name)
    (generic_type type: (qualified_type name: (type_identifier) @name))
  ]) @property)))
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @property)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @method))
(type_alias name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_alias name: (type_identifier) @name type: (interface_type "{" @body)) @interface
(type_alias type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @property)))
(type_alias type: (interface_type (method_elem name: (field_identifier) @name) @method))

(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @variable
(var_spec name: (identifier) @name value: (expression_list . (func_literal body: (block) @body) .)) @lambda
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) .)) @lambda
(func_literal body: (block) @local)

(call_expression function: [
  (identifier) @call
  (selector_expression field: (field_identifier) @call)
  (parenthesized_expression (identifier) @call)
  (parenthesized_expression (selector_expression field: (field_identifier) @call))
  (index_expression operand: (identifier) @call)
  (index_expression operand: (selector_expression field: (field_identifier) @call))
])
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(type_conversion_expression type: (generic_type type: (qualified_type name: (type_identifier) @call)))
