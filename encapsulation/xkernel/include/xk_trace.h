/* Traces: with XK_DEBUG, xTraceN(name, level, format, ...) writes a line while the variable tracename is at least the
 * level. */
#ifndef XK_TRACE_H
#define XK_TRACE_H

#define TR_NEVER 100
#define TR_FULL_TRACE 25
#define TR_DETAILED 9
#define TR_FUNCTIONAL_TRACE 7
#define TR_MORE_EVENTS 6
#define TR_EVENTS 5
#define TR_SOFT_ERRORS 4
#define TR_SOFT_ERROR 4
#define TR_MAJOR_EVENTS 3
#define TR_GROSS_EVENTS 2
#define TR_ERRORS 1
#define TR_ALWAYS 0

void xTraceLine(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef XK_DEBUG
#define xIfTrace(name, level) if (trace##name >= (level))
#define XK_TRACE(name, level, ...) \
    do { \
        if (trace##name >= (level)) \
            xTraceLine(__VA_ARGS__); \
    } while (0)
#define XK_TRACE_P(obj, level, ...) \
    do { \
        if ((obj)->traceVar && *(obj)->traceVar >= (level)) \
            xTraceLine(__VA_ARGS__); \
    } while (0)
#else
#define xIfTrace(name, level) if (0)
#define XK_TRACE(name, level, ...) ((void)0)
#define XK_TRACE_P(obj, level, ...) ((void)0)
#endif

#define xTrace0(n, l, f) XK_TRACE(n, l, f)
#define xTrace1(n, l, f, a) XK_TRACE(n, l, f, a)
#define xTrace2(n, l, f, a, b) XK_TRACE(n, l, f, a, b)
#define xTrace3(n, l, f, a, b, c) XK_TRACE(n, l, f, a, b, c)
#define xTrace4(n, l, f, a, b, c, d) XK_TRACE(n, l, f, a, b, c, d)
#define xTrace5(n, l, f, a, b, c, d, e) XK_TRACE(n, l, f, a, b, c, d, e)
#define xTraceP0(o, l, f) XK_TRACE_P(o, l, f)
#define xTraceP1(o, l, f, a) XK_TRACE_P(o, l, f, a)
#define xTraceP2(o, l, f, a, b) XK_TRACE_P(o, l, f, a, b)
#define xTraceP3(o, l, f, a, b, c) XK_TRACE_P(o, l, f, a, b, c)
#define xTraceP4(o, l, f, a, b, c, d) XK_TRACE_P(o, l, f, a, b, c, d)
#define xTraceP5(o, l, f, a, b, c, d, e) XK_TRACE_P(o, l, f, a, b, c, d, e)

#endif
