
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
