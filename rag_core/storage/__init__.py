"""PostgreSQL: the embedded server, migrations, named queries, and one module a table family.

Here and nowhere else is psycopg imported and SQL written. Every query that reads or writes a tenant's rows runs inside
``database.tenant_transaction``, which sets the tenant for that transaction; row-level security stands behind it.
Not here: decisions about ranking, chunking or models.
"""
