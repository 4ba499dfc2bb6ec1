/* No mistakes in emitted code: conditions that types or constants of the layers decide, parameters that a layer does not
 * use, and parentheses that C does not need. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wparentheses-equality"
#pragma clang diagnostic ignored "-Wtautological-bitwise-compare"
#endif

