[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @attribute

(package_declaration [(identifier) (scoped_identifier)] @name) @module
(module_declaration name: (_) @name body: (_) @body) @module
(import_declaration [(identifier) (scoped_identifier)] @import)

(class_declaration name: (identifier) @name body: (_) @body) @class
(record_declaration name: (identifier) @name body: (_) @body) @class
(enum_declaration name: (identifier) @name body: (_) @body) @enum
(interface_declaration name: (identifier) @name body: (_) @body) @interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @interface
(object_creation_expression (class_body) @anonymous)
(enum_constant name: (identifier) @name body: (_)? @body) @enumCase

(constructor_declaration name: (identifier) @name parameters: (_) @parameters body: (_) @body) @initializer
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @initializer
(method_declaration name: (identifier) @name parameters: (_) @parameters body: (block)? @body) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @property))

(field_declaration declarator: (variable_declarator) @inner) @outer
(constant_declaration declarator: (variable_declarator) @inner) @outer
(field_declaration declarator: (variable_declarator name: (identifier) @name) @property)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @property)
(field_declaration declarator: (variable_declarator name: (identifier) @name value: (lambda_expression "->" @body)) @lambda)
(constant_declaration declarator: (variable_declarator name: (identifier) @name value: (lambda_expression "->" @body)) @lambda)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @name value: (lambda_expression "->" @body)) @lambda)
(local_variable_declaration declarator: (variable_declarator value: (lambda_expression)) @inner) @outer

(method_invocation name: (identifier) @call)
(object_creation_expression type: [
  (type_identifier) @call
  (generic_type (type_identifier) @call)
  (scoped_type_identifier (type_identifier) @call .)
  (generic_type (scoped_type_identifier (type_identifier) @call .))
])
