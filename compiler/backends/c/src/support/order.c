//@ address: below 0 if the first is less, above 0 if it is greater.
@_PLAIN int @name(const @type *a, const @type *b) {
    int ip = memcmp(a->ip, b->ip, 16);
    if (ip != 0) { return ip; }
    if (a->port != b->port) { return a->port < b->port ? -1 : 1; }
    return a->family == b->family ? 0 : a->family < b->family ? -1 : 1;
}
//@ text
@_PLAIN int @name(const @type *a, const @type *b) {
    int common = memcmp(a->at, b->at, a->len < b->len ? a->len : b->len);
    if (common != 0) { return common; }
    return a->len == b->len ? 0 : a->len < b->len ? -1 : 1;
}
//@ bytes
@_PLAIN int @name(const @type *a, const @type *b) {
    return memcmp(a->at, b->at, @capacity);
}
