-- Routing of each question: what the router recognised, and the strategy of searches that followed it.

alter table queries
    add column query_type text
        check (query_type in ('factual', 'comparative', 'procedural', 'relational', 'aggregative', 'temporal')),
    add column is_multi_hop boolean,
    -- How many names; the names are the question's words, which are not kept.
    add column entities_found smallint check (entities_found >= 0),
    add column suggested_strategy text check (
        suggested_strategy in ('vector_only', 'hybrid', 'hybrid_with_graph_refinement', 'table_focused', 'multi_index')
    ),
    -- Null where the contract does not route.
    add column routed_strategy text check (
        routed_strategy in ('vector_only', 'hybrid', 'hybrid_with_graph_refinement', 'table_focused', 'multi_index')
    );
