(comment) @comment

(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @import)
(using_directive name: (_) "=" [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @import)

(namespace_declaration name: (_) @name body: (_) @body) @module
(file_scoped_namespace_declaration name: (_) @name) @module

(class_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @class
(struct_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @struct
(record_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @class
(interface_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @interface
(enum_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @enum
(enum_member_declaration (attribute_list)* @attribute name: (_) @name) @enumCase
(delegate_declaration (attribute_list)* @attribute name: (_) @name parameters: (_) @parameters) @typeAlias

(method_declaration (attribute_list)* @attribute name: (_) @name parameters: (_) @parameters body: (_)? @body) @method
(local_function_statement (attribute_list)* @attribute name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(constructor_declaration (attribute_list)* @attribute name: (_) @name parameters: (_) @parameters body: (_)? @body) @initializer
(destructor_declaration (attribute_list)* @attribute name: (_) @name body: (_)? @body) @deinitializer
(operator_declaration (attribute_list)* @attribute operator: _ @name parameters: (_) @parameters body: (_)? @body) @operator
(conversion_operator_declaration (attribute_list)* @attribute type: (_) @name parameters: (_) @parameters body: (_)? @body) @operator
(indexer_declaration (attribute_list)* @attribute "this" @name parameters: (_) @parameters [accessors: (_) value: (_)]? @body) @subscript

(property_declaration (attribute_list)* @attribute name: (_) @name [accessors: (_) value: (arrow_expression_clause)]? @body) @property
(event_declaration (attribute_list)* @attribute name: (_) @name accessors: (_)? @body) @property
(accessor_declaration (attribute_list)* @attribute name: _ @name body: (_) @body) @accessor

(field_declaration (attribute_list)* @attribute (variable_declaration (variable_declarator name: (_) @name) @property)) @outer
(event_field_declaration (attribute_list)* @attribute (variable_declaration (variable_declarator name: (_) @name) @property)) @outer
(global_statement (local_declaration_statement (variable_declaration (variable_declarator name: (_) @name) @variable))) @outer

(field_declaration (attribute_list)* @attribute (variable_declaration (variable_declarator name: (_) @name [
  (lambda_expression "=>" @body)
  (lambda_expression body: (block) @body)
  (anonymous_method_expression (block) @body)]) @lambda)) @outer
(local_declaration_statement (variable_declaration (variable_declarator name: (_) @name [
  (lambda_expression "=>" @body)
  (lambda_expression body: (block) @body)
  (anonymous_method_expression (block) @body)]) @lambda)) @outer

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call)))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @call)))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (generic_name (identifier) @call))))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(object_creation_expression type: (qualified_name name: (identifier) @call))
