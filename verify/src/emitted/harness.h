/* An emitted stack at two ends, as functions of numbers: what SPIN sees of it.
 *
 * A local state (one end's state and pool, as far as a checker compares them) is kept once and has a number from 1; so has a
 * string of bytes. A step gives the number of the next state and what left the end; it is run once, however many global states
 * it is part of. So the state that SPIN stores is a few numbers, its search is exact, and nothing here is to be put back when it
 * goes back. */
#ifndef NACRE_HARNESS
#define NACRE_HARNESS

int nacre_first(int end);
int nacre_call(int end, int state, int event, int bytes);
int nacre_input(int end, int state, int frame);
/* An event of the layer below without a message; its first argument. */
int nacre_said(int end, int state, int event, int number);
/* A call of the model's table; whether it is accepted; its message as a string of bytes. */
int nacre_asked(int end, int state, int call);
int nacre_asked_accepts(int end, int state, int call);
int nacre_asks(int call);
int nacre_fire(int end, int state, int place);
int nacre_later(int end, int state);

int nacre_accepts(int end, int state, int event, int len);
int nacre_armed(int state);
int nacre_busy(int state);

/* Of the step before: how many events left, at which port, which bytes; and whether something was broken. */
enum nacre_broken { NACRE_CLAIM = 1, NACRE_FAULT = 2 };
int nacre_left(void);
int nacre_left_port(int at);
int nacre_left_bytes(int at); /* 0: none */
int nacre_left_event(int at);
int nacre_left_number(int at); /* its first argument */
int nacre_broken(void);

/* Bytes that are all the same. */
int nacre_bytes(int value, int len);
/* Whether one string of bytes stands before another, as a dictionary has it. */
int nacre_before(int a, int b);

#endif
