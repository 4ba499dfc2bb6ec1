/* An emitted stack at two ends, as functions of numbers: what SPIN sees of it.
 *
 * A local state (one end's state and pool, as far as a checker compares them) is kept once and has a number from 1; so has a
 * string of bytes, and so has each way in which a step can end (several, where the stack draws random numbers: they follow one
 * another). A step is run once, however many global states it is part of. So the state that SPIN stores is a few numbers, its
 * search is exact, and nothing here is to be put back when it goes back. */
#ifndef NACRE_HARNESS
#define NACRE_HARNESS

/* The messages of the model's table become the strings from 1 on. */
void nacre_messages(void);

/* Steps: the number of the first way in which one can end. */
int nacre_first(int end);
int nacre_input(int end, int state, int frame);
/* An event of the layer below without a message; its first argument. */
int nacre_said(int end, int state, int event, int number);
/* A call of the model's table. */
int nacre_asked(int end, int state, int call);
int nacre_fire(int end, int state, int place);
int nacre_later(int end, int state);

/* How many ways the step has; where this one leads; whether it breaks something. */
enum nacre_broken { NACRE_CLAIM = 1, NACRE_FAULT = 2 };
int nacre_ways(int step);
int nacre_next(int way);
int nacre_broken(int way);
/* How many events left; of each the port, the event, its bytes (0: none), its first argument. Of no way (0) nothing. */
int nacre_left(int way);
int nacre_left_port(int way, int at);
int nacre_left_event(int way, int at);
int nacre_left_bytes(int way, int at);
int nacre_left_number(int way, int at);

/* Of a state: whether a call is accepted, how many timers are armed, the place of one of them among the last resorts (from 1; 0: it
 * is none), whether one of that place is armed, whether a `later` event waits. */
int nacre_accepts(int end, int state, int call);
int nacre_armed(int state);
int nacre_rank(int end, int state, int place);
int nacre_has(int end, int state, int rank);
int nacre_busy(int state);

/* Bits of a string; the string with one of them turned round. */
int nacre_bits(int string);
int nacre_flipped(int string, int bit);

#endif
