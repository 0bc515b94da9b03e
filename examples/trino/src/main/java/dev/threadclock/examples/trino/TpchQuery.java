// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

/** Four queries of TPC-H with the column names of Trino's tpch connector. Results are exact and ordered. */
enum TpchQuery {
    Q1("""
            SELECT returnflag, linestatus, sum(quantity), sum(extendedprice),
                sum(extendedprice * (1 - discount)), sum(extendedprice * (1 - discount) * (1 + tax)),
                avg(quantity), avg(extendedprice), avg(discount), count(*)
            FROM lineitem WHERE shipdate <= DATE '1998-09-02'
            GROUP BY returnflag, linestatus ORDER BY returnflag, linestatus"""),

    Q3("""
            SELECT l.orderkey, sum(l.extendedprice * (1 - l.discount)) AS revenue, o.orderdate, o.shippriority
            FROM customer c, orders o, lineitem l
            WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey
                AND o.orderdate < DATE '1995-03-15' AND l.shipdate > DATE '1995-03-15'
            GROUP BY l.orderkey, o.orderdate, o.shippriority
            ORDER BY revenue DESC, o.orderdate, l.orderkey LIMIT 10"""),

    Q6("""
            SELECT sum(extendedprice * discount) FROM lineitem
            WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1995-01-01'
                AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24"""),

    Q18("""
            SELECT c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, sum(l.quantity)
            FROM customer c, orders o, lineitem l
            WHERE o.orderkey IN (SELECT orderkey FROM lineitem GROUP BY orderkey HAVING sum(quantity) > 250)
                AND c.custkey = o.custkey AND o.orderkey = l.orderkey
            GROUP BY c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice
            ORDER BY o.totalprice DESC, o.orderdate, o.orderkey LIMIT 100""");

    final String sql;

    TpchQuery(String sql) {
        this.sql = sql;
    }
}
