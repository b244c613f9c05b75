-- A line with tags or other fields of its own, but without metadata, says nothing of whom its note is for.

create function metadata_after(stored jsonb, incoming jsonb, keeps_audience boolean) returns jsonb
    language sql immutable parallel safe
    return case
        when incoming is null then stored
        when keeps_audience then incoming || (
            select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(stored)
            where key in ('visibility', 'department', 'departments')
        )
        else incoming
    end;
