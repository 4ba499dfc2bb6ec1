/* The documented names of the STREAMS routines. */
#ifndef NACRE_STREAMS_NAMES_H
#define NACRE_STREAMS_NAMES_H

#define allocb str_allocb
#define esballoc str_esballoc
#define freeb str_freeb
#define freemsg str_freemsg
#define dupb str_dupb
#define dupmsg str_dupmsg
#define copyb str_copyb
#define copymsg str_copymsg
#define pullupmsg str_pullupmsg
#define msgpullup str_msgpullup
#define linkb str_linkb
#define unlinkb str_unlinkb
#define rmvb str_rmvb
#define adjmsg str_adjmsg
#define msgdsize str_msgdsize
#define msgsize str_msgsize
#define testb str_testb
#define bufcall str_bufcall
#define unbufcall str_unbufcall
#define desballoc str_esballoc
#define esbbcall(priority, routine, argument) str_bufcall(0, priority, routine, argument)
#define qbufcall str_qbufcall
#define qunbufcall str_qunbufcall
#define datamsg str_datamsg
#define pcmsg str_pcmsg

#define putq str_putq
#define putbq str_putbq
#define insq str_insq
#define rmvq str_rmvq
#define getq str_getq
#define flushq str_flushq
#define flushband str_flushband
#define qenable str_qenable
#define noenable str_noenable
#define enableok str_enableok
#define canenable str_canenable
#define canput str_canput
#define bcanput str_bcanput
#define canputnext str_canputnext
#define bcanputnext str_bcanputnext
#define put(q, message) str_put(q, message)
#define putnext str_putnext
#define putctl str_putctl
#define putctl1 str_putctl1
#define putnextctl str_putnextctl
#define putnextctl1 str_putnextctl1
#define qreply str_qreply
#define qsize str_qsize
#define backq str_backq
#define strqget str_strqget
#define strqset str_strqset
#define qprocson str_qprocson
#define qprocsoff str_qprocsoff
/* One thread runs all of a host: nothing is to be frozen, and a writer is always alone. */
#define freezestr(q) ((void)(q))
#define unfreezestr(q) ((void)(q))
#define qwriter(q, message, routine, perimeter) ((void)(perimeter), (*(routine))(q, message))

#define miocack str_miocack
#define miocnak str_miocnak

#define qtimeout str_qtimeout
#define quntimeout str_quntimeout
#define drv_usectohz str_drv_usectohz
#define drv_hztousec str_drv_hztousec

/* Common words: only their calls are replaced. */
#define timeout(routine, argument, ticks) str_ticks_timeout(routine, argument, ticks)
#define untimeout(id) str_ticks_untimeout(id)

#define RD(q) (((q)->q_flag & QREADR) ? (q) : (q) - 1)
#define WR(q) (((q)->q_flag & QREADR) ? (q) + 1 : (q))
#define OTHERQ(q) (((q)->q_flag & QREADR) ? (q) + 1 : (q) - 1)
#define SAMESTR(q) ((q)->q_next && (((q)->q_flag ^ (q)->q_next->q_flag) & QREADR) == 0)
#define samestr SAMESTR

#endif
