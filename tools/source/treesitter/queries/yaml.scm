(comment) @comment

(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @property)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @property))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @property)))))))))
(document (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node) @body) @object)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node) @body) @object))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node) @body) @object)))))))))
