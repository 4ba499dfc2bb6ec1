/* `nothing`, as Nacre's C back end writes it at level call. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
/* `nothing`, as Nacre's C back end writes it at level call. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#define passing_LEVEL "call"
